/** Shows one scene: `/dev/?scene=form`; without a name, the list of them. Never part of the built app. */
import { mount } from "svelte";
import App from "../src/App.svelte";
import "../src/styles/tokens.css";
import "../src/styles/base.css";
import "../src/styles/card.css";
import "../src/styles/rows.css";
import { SCENES } from "./scenes";

const query = new URLSearchParams(location.search);
const scene = SCENES.find((candidate) => candidate.name === query.get("scene"));
const target = document.getElementById("app");

if (target && scene) {
  const props = {
    backend: scene.backend(),
    ...(scene.list ? { list: scene.list } : {}),
    ...(scene.card ? { card: scene.card } : {}),
  };
  mount(App, { target, props });
} else if (target) {
  document.body.style.overflow = "auto";
  for (const { name } of SCENES) {
    const line = document.createElement("p");
    const link = document.createElement("a");
    link.href = `?scene=${encodeURIComponent(name)}`;
    link.textContent = name;
    line.append(link);
    target.append(line);
  }
}
