/** What whoever started the system needs to know to use it. */
export interface Announcement {
  gatewayUrl: string;
  liveKey: string;
  testKey: string;
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
export function toText({ gatewayUrl, testKey, dataDir, logDir, pids }: Announcement): string {
  const processes = Object.entries(pids ?? {}).map(([name, pid]) => `${name} ${String(pid)}`);
  return [
    '',
    'The billing system is ready.',
    '',
    `  Gateway    ${gatewayUrl}`,
    `  Test key   ${testKey}`,
    `  Data       ${dataDir} (keys.json holds the live key too)`,
    `  Logs       ${logDir}`,
    ...(processes.length > 0 ? [`  Processes  ${processes.join(', ')}`] : []),
    '',
    'Try it:',
    '',
    `  curl -s ${gatewayUrl}/v1/customers \\`,
    `    -H 'Authorization: Bearer ${testKey}' \\`,
    `    -H 'Content-Type: application/json' \\`,
    `    -d '{"email":"ada@example.com","name":"Ada"}'`,
    '',
    'Ctrl-C stops everything.',
    '',
  ].join('\n');
}
