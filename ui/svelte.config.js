/** @type {import("@sveltejs/vite-plugin-svelte").SvelteConfig} */
export default {
  compilerOptions: {
    runes: true,
    // Builds nodes one by one: with 'html' Svelte needs innerHTML, which the page's policy forbids.
    fragments: "tree",
  },
};
