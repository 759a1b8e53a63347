import { defineConfig } from 'vite';
import { bundleLimit } from './bundle-limit.mjs';

export default defineConfig({
  base: '/dashboard/',
  plugins: [bundleLimit({ firstLoadBytesMax: 200_000 })],
  // Workspace packages are bundled from their sources: no build of theirs is needed, none can be stale.
  resolve: { conditions: ['source', 'module', 'browser', 'production'] },
  build: {
    // Where the gateway's own build is, so that an image of the gateway has its dashboard.
    outDir: '../dist/site',
    emptyOutDir: true,
    target: 'es2022',
    // The policy of the page allows nothing inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // "use client" is a word to servers that render; there is none here.
      onLog: (level, log, tell) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') tell(level, log);
      },
    },
  },
});
