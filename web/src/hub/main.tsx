import { queries } from "../shared/call/queries.ts";
import { startApp } from "../shared/shell/start-app.tsx";
import { followHub } from "./live/live.ts";
import { refetchWhenChanged } from "./live/refetch-when-changed.ts";
import { hubRouter } from "./routes.tsx";

refetchWhenChanged(queries);
followHub();
startApp(hubRouter);
