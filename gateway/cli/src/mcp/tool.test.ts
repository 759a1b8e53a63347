import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { CommandFailure, wrongUsage } from '../terminal/failure';
import { addTool } from './tool';

/** The error of a tool that fails. */
async function errorOf(failure: Error): Promise<unknown> {
  let call: ((input: object, call: object) => Promise<any>) | undefined;
  const server = {
    registerTool: (_name: string, _options: object, run: typeof call) => (call = run),
  };
  addTool(server as unknown as McpServer, {
    ...{ name: 'fail', title: 'Fail', description: 'Fails.' },
    ...{ input: {}, output: {}, isReading: true },
    run: () => Promise.reject(failure),
  });
  const result = await call?.({}, { signal: new AbortController().signal });
  expect(result.isError).toBe(true);
  return JSON.parse(result.content[0].text).error;
}

test.each([
  ['input that another call can avoid', wrongUsage('page is no page'), 'wrong_input'],
  ['a server without guides', new CommandFailure('This server has no guides'), 'failed'],
  ['data that is too large', new Error('The data is too large to be shown'), 'failed'],
])('%s has a code of its own', async (_name, failure, code) => {
  expect(await errorOf(failure)).toEqual({ message: failure.message, code });
});
