import { defineConfig } from 'vite';
import { bundleLimit } from './bundle-limit.mjs';

export default defineConfig({
  base: '/dashboard/',
  plugins: [bundleLimit({ firstLoadBytesMax: 200_000 })],
  // Workspace packages are bundled from their sources, so their builds are not needed and never stale.
  resolve: { conditions: ['source', 'module', 'browser', 'production'] },
  build: {
    // Inside the gateway's build, so that an image of the gateway contains the dashboard.
    outDir: '../dist/site',
    emptyOutDir: true,
    target: 'es2022',
    // The content security policy forbids inline assets.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // "use client" is a directive for server rendering, which the dashboard does not have.
      onLog: (level, log, tell) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') tell(level, log);
      },
    },
  },
});
