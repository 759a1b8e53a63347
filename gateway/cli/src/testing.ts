import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

/** Starts a program that serves agents, and connects the protocol's own client to it. */
export async function connectAgent(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const options = { command: process.execPath, args: [...args], env: { ...env } };
  await client.connect(new StdioClientTransport({ ...options, stderr: 'inherit' }));
  return client;
}
