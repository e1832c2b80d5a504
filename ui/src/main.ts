import { mount } from "svelte";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/card.css";
import "./styles/rows.css";
import App from "./App.svelte";
import { tauri } from "./lib/backend";

const target = document.getElementById("app");
if (target) mount(App, { target, props: { backend: tauri } });
