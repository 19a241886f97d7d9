import { startApp } from "../shared/shell/start-app.tsx";
import "./nest.css";
import { nestRouter } from "./routes.tsx";

startApp(nestRouter);
