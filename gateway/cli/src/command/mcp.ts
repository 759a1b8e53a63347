import { finished } from 'node:stream/promises';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createAgentServer } from '../mcp/agent-server';
import { openSession, type SharedFlags } from '../session/session';
import type { Terminal } from '../terminal/terminal';

/** Flags of `billing mcp`. */
export interface McpFlags extends SharedFlags {
  readonly readOnly?: boolean;
}

/** Serves agents on the standard input and output until the input ends. */
export async function serveAgents(terminal: Terminal, flags: McpFlags): Promise<void> {
  const session = await openSession(terminal, flags);
  const server = createAgentServer(session, { isReadOnly: flags.readOnly === true });
  await server.connect(new StdioServerTransport(terminal.input, terminal.output));
  // The agent has ended, also where its input was broken off.
  await finished(terminal.input, { writable: false }).catch(() => undefined);
  // Calls that still run are aborted.
  await server.close();
}
