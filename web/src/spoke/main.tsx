import { startApp } from "../shared/shell/start-app.tsx";
import { SpokeApp } from "./spoke-app.tsx";

startApp(<SpokeApp />);
