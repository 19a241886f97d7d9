import { startApp } from "../shared/shell/start-app.tsx";
import { spokeRouter } from "./routes.tsx";

startApp(spokeRouter);
