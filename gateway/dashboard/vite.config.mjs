import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { bundleLimit } from './bundle-limit.mjs';

// Of the addresses under /dashboard, the gateway answers these itself.
const answeredByGateway =
  '^/(?!dashboard([/?]|$))|^/dashboard/(api|sign-in/(callback|provider))([/?]|$)';

const firstLoad = {
  firstLoadBytesMax: 200_000,
  page: /\/dashboard\/src\/pages\/.*-page\.tsx$/,
  loadedOnUse: [
    '/pages/customers/customer-form.tsx',
    '/pages/products/meter-price-form.tsx',
    '/parts/overlay/combobox.tsx',
    '/parts/overlay/dialog-window.tsx',
    '/shell/environment-switcher.tsx',
    '/shell/account-menu.tsx',
    // In place of all pages, while the system is closed after a restore.
    '/shell/closed-shell.tsx',
    '/shell/palette/palette.tsx',
    '/shell/palette/shortcuts.tsx',
  ],
};

export default defineConfig(({ command, mode }) => ({
  base: '/dashboard/',
  // `npm run dev` serves pages that update without a reload; the build is checked for its size.
  plugins: [
    command === 'serve' && react(),
    command === 'build' && mode === 'production' && bundleLimit(firstLoad),
  ],
  server: { host: '127.0.0.1', proxy: { [answeredByGateway]: process.env.GATEWAY_URL ?? '' } },
  // Workspace packages are bundled from their sources, so no build of them is needed or stale.
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
}));
