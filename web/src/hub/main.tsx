import { queries, startApp } from "../shared/shell/start-app.tsx";
import { HubApp } from "./hub-app.tsx";
import { followHub } from "./live/live.ts";
import { refetchWhenChanged } from "./live/refetch-when-changed.ts";

refetchWhenChanged(queries);
followHub();
startApp(<HubApp />);
