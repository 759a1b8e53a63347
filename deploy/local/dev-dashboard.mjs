// Vite's development server for `npm run dev`.
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const GATEWAY_PORT_DEFAULT = 3000;

/** Starts the server one port above the gateway's. It passes everything but the dashboard's files to the gateway. */
export function startDashboard({ root, node, args, say }) {
  const port = gatewayPort(args);
  const dashboard = join(root, 'gateway/dashboard');
  const vite = join(dashboard, 'node_modules/vite/bin/vite.js');
  const url = `http://127.0.0.1:${String(port + 1)}/dashboard/`;
  say(`Dashboard with hot reload: ${url}`);
  return spawn(node, [vite, '--port', String(port + 1), '--strictPort', '--logLevel', 'warn'], {
    cwd: dashboard,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, GATEWAY_URL: `http://127.0.0.1:${String(port)}` },
  });
}

function gatewayPort(args) {
  const text = args.find((arg) => arg.startsWith('--port='))?.slice('--port='.length);
  const next = args[args.indexOf('--port') + 1];
  return Number(text ?? (args.includes('--port') ? next : GATEWAY_PORT_DEFAULT));
}
