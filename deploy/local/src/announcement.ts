/** Where `npm run demo` looks for the gateway. */
const demoUrlDefault = 'http://127.0.0.1:3000';

/** What whoever started the system needs to know to use it. */
export interface Announcement {
  gatewayUrl: string;
  liveKey: string;
  /** Of the first sandbox; absent once that was deleted. */
  testKey?: string;
  /** By which somebody becomes the dashboard's first operator; absent once there is one. */
  ownerLink?: string;
  dataDir: string;
  logDir: string;
  mongodbUri: string;
  natsUrl: string;
  /** What a client dials to reach each service past the gateway. */
  addresses: Record<string, string>;
  /** Of the services, where each has a process of its own. */
  pids?: Record<string, number>;
}

/** One line for scripts. */
export function toJsonLine(announcement: Announcement): string {
  return `${JSON.stringify(announcement)}\n`;
}

/** For people; the command can be copied and pasted as it is. */
export function toText(announcement: Announcement, dataDirDefault: string): string {
  const { gatewayUrl, testKey, ownerLink, dataDir, logDir, pids } = announcement;
  const processes = Object.entries(pids ?? {}).map(([name, pid]) => `${name} ${String(pid)}`);
  return [
    '',
    'The billing system is ready.',
    '',
    `  Gateway    ${gatewayUrl}`,
    ownerLink === undefined
      ? `  Dashboard  ${gatewayUrl}/dashboard`
      : `  Dashboard  ${ownerLink} (makes you its owner; works once)`,
    `  Test key   ${testKey ?? 'none: the first sandbox was deleted; the dashboard creates others'}`,
    `  Data       ${dataDir} (keys.json holds the live key too)`,
    `  Logs       ${logDir}`,
    `  Demo data  ${demoCommand(announcement, dataDirDefault)} (in another terminal)`,
    ...(processes.length > 0 ? [`  Processes  ${processes.join(', ')}`] : []),
    '',
    ...(testKey === undefined ? [] : exampleCall(gatewayUrl, testKey)),
    'Ctrl-C stops everything.',
    '',
  ].join('\n');
}

function exampleCall(gatewayUrl: string, testKey: string): string[] {
  return [
    'Try it:',
    '',
    `  curl -s ${gatewayUrl}/v1/customers \\`,
    `    -H 'Authorization: Bearer ${testKey}' \\`,
    `    -H 'Content-Type: application/json' \\`,
    `    -d '{"email":"ada@example.com","name":"Ada"}'`,
    '',
  ];
}

/** Where the demo looks by itself is left out. */
function demoCommand({ gatewayUrl, dataDir }: Announcement, dataDirDefault: string): string {
  const flags = [
    ...(gatewayUrl === demoUrlDefault ? [] : ['--url', gatewayUrl]),
    ...(dataDir === dataDirDefault ? [] : ['--data', quoted(dataDir)]),
  ];
  return ['npm run demo', ...(flags.length === 0 ? [] : ['--', ...flags])].join(' ');
}

/** As a shell takes it for one word. */
function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
