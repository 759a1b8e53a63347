/** Default gateway URL of `npm run demo`. */
const demoUrlDefault = 'http://127.0.0.1:3000';

/** Addresses, keys and folders of a started system. */
export interface Announcement {
  /** URL of the address that the gateway listens on. */
  gatewayUrl: string;
  /** Start of every address that is handed out. */
  publicUrl: string;
  liveKey: string;
  /** Key of the first sandbox; absent once that was deleted. */
  testKey?: string;
  /** Invitation link of the dashboard's first operator; absent once there is an operator. */
  ownerLink?: string;
  dataDir: string;
  logDir: string;
  mongodbUri: string;
  natsUrl: string;
  /** gRPC address of each service, for clients that bypass the gateway. */
  addresses: Record<string, string>;
  /** Process ids of the services; absent if all share one process. */
  pids?: Record<string, number>;
}

/** Formats the announcement as one line for scripts. */
export function toJsonLine(announcement: Announcement): string {
  return `${JSON.stringify(announcement)}\n`;
}

/**
 * Formats the announcement for people, with an example command to copy and paste. Keys and the
 * owner's link appear on terminals only: other outputs are often kept, and read by others.
 */
export function toText(
  announcement: Announcement,
  { dataDirDefault, isTerminal }: { dataDirDefault: string; isTerminal: boolean },
): string {
  const { gatewayUrl, publicUrl, testKey, ownerLink, dataDir, logDir, pids } = announcement;
  const processes = Object.entries(pids ?? {}).map(([name, pid]) => `${name} ${String(pid)}`);
  const link = isTerminal ? ownerLink : undefined;
  return [
    '',
    'The billing system is ready.',
    '',
    link === undefined
      ? `  Dashboard  ${publicUrl}/dashboard`
      : `  Dashboard  ${link} (open it to create your account; valid once)`,
    `  Gateway    ${gatewayUrl}`,
    ...(isTerminal
      ? [
          `  Test key   ${testKey ?? 'none: the first sandbox was deleted; the dashboard creates others'}`,
          `  Data       ${dataDir} (keys.json also holds the live key)`,
        ]
      : [`  Data       ${dataDir}`]),
    `  Logs       ${logDir}`,
    `  Docs       ${publicUrl}/docs`,
    `  Demo data  ${demoCommand(announcement, dataDirDefault)} (in another terminal)`,
    ...(processes.length > 0 ? [`  Processes  ${processes.join(', ')}`] : []),
    '',
    ...(isTerminal ? [] : [`Keys are in ${dataDir}/keys.json`]),
    ...(isTerminal && testKey !== undefined ? exampleCall(gatewayUrl, testKey) : []),
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

/** Command of the demo, without flags that equal its defaults. */
function demoCommand({ gatewayUrl, dataDir }: Announcement, dataDirDefault: string): string {
  const flags = [
    ...(gatewayUrl === demoUrlDefault ? [] : ['--url', gatewayUrl]),
    ...(dataDir === dataDirDefault ? [] : ['--data', quoted(dataDir)]),
  ];
  return ['npm run demo', ...(flags.length === 0 ? [] : ['--', ...flags])].join(' ');
}

/** Quotes a text as one word for the shell. */
function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
