import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { isApiPath, isJoinable } from '../session/api-path';
import { wrongUsage } from '../terminal/failure';
import { readInstant } from '../terminal/instant';
import type { Session } from '../session/session';
import { singleResult } from './page';
import { toolResult } from './result';
import { addTool } from './tool';

const output = {
  data: z.unknown().describe('As the API returned it; null without content'),
  cut: z.string().nullable().describe('Name of the list in the data that was cut'),
  nextPage: z.string().nullable().describe('Not null if `cut` is not; `get` reads the rest'),
  isShortened: z.boolean().describe('True if long texts or lists in the data were cut'),
};

/** Adds the tools that change a sandbox. */
export function addSandboxTools(server: McpServer, { api, transport }: Session): void {
  addTool(server, {
    name: 'act',
    title: 'Change the sandbox',
    description:
      'Sends a request that changes the sandbox. The guides describe the API; the error names the fields that are missing or wrong.',
    input: {
      method: z.enum(['POST', 'PATCH', 'DELETE']),
      path: z.string().describe('Such as /v1/customers'),
      body: z.record(z.string(), z.unknown()).optional(),
    },
    output,
    isReading: false,
    run: async ({ method, path, body }, { signal }) => {
      if (!isApiPath(path)) throw wrongUsage('path starts with /v1/');
      const joins = isJoinable(path);
      const answer = await transport.send({ method, path, body, joins, options: { signal } });
      return singleResult(answer ?? null, { skipped: 0 });
    },
  });
  addTool(server, {
    name: 'advance_clock',
    title: 'Advance the clock of the sandbox',
    description:
      'Advances a manual clock, and does all work that is due until then: renewals, charges, webhooks. The advance continues after a timeout of the call: `status` shows the clock.',
    input: { to: z.string().describe('A time with its zone, or a step such as +14d or +1mo') },
    output: {
      now: z.string(),
      processed: z.number(),
      stopped: z.boolean().describe('True if another caller ended the advance early'),
    },
    isReading: false,
    run: async ({ to }, { signal }) => {
      const { now } = await api.sandboxes.retrieveClock({ signal });
      const target = readInstant(to, new Date(now)).toISOString();
      const reached = await api.sandboxes.advance({ to: target }, { signal });
      const { stopped = false } = reached;
      return toolResult({ now: reached.now, processed: reached.processed, stopped });
    },
  });
}
