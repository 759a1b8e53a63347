import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { wrongUsage } from '../terminal/failure';
import type { Session } from '../session/session';
import {
  eventsResult,
  type FeedPage,
  listResult,
  pageOf,
  readPosition,
  singleResult,
  usageResult,
} from './page';
import {
  filterNames,
  idNames,
  listPath,
  lists,
  type Resource,
  singlePath,
  singles,
} from './resource';
import { addTool, type ToolCall } from './tool';

/** Reads from the API. */
export type Read = (path: string, call: ToolCall) => Promise<unknown>;

/** The only requests of these tools: none can change anything. */
export function readerOf({ transport }: Pick<Session, 'transport'>): Read {
  return (path, { signal }) => transport.send({ method: 'GET', path, options: { signal } });
}

const data = z.unknown().describe('As the API returned it');
const nextPage = z
  .string()
  .nullable()
  .describe('Continues a list that was cut, as `page`; null at the end');
const isShortened = z.boolean().describe('True if long texts or lists in the data were cut');
const page = z
  .union([z.number().int().min(1), z.string()])
  .optional()
  .describe('`nextPage` of the result before, or the number of a page');

/** Adds the tools that read resources. */
export function addReadingTools(server: McpServer, read: Read): void {
  addList(server, read);
  addGet(server, read);
  addUsage(server, read);
  addEvents(server, read);
}

function addList(server: McpServer, read: Read): void {
  const known = [...lists.values()].map((one) => `${one.name} (${filterNames(one)})`).join('; ');
  const filter = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
  addTool(server, {
    name: 'list',
    title: 'List resources',
    description: `Lists resources, newest first. Resources and their filters: ${known}.`,
    input: {
      resource: z.enum([...lists.keys()]),
      filters: z.record(z.string(), filter).optional(),
      page,
    },
    output: { data: z.array(data), total: z.number().nullable(), nextPage, isShortened },
    isReading: true,
    run: async ({ resource: name, filters = {}, page: given }, call) => {
      const position = readPosition(given);
      const answer = await read(listPath(find(lists, name), filters, position), call);
      return listResult(pageOf(answer), position);
    },
  });
}

function find(resources: ReadonlyMap<string, Resource>, name: string): Resource {
  const resource = resources.get(name);
  if (resource === undefined) throw wrongUsage(`${name} is no resource`);
  return resource;
}

function addGet(server: McpServer, read: Read): void {
  const described = [...singles.values()]
    .map((one) => [one.name, idNames(one).join('/')] as const)
    .map(([name, ids]) => (ids === 'id' ? name : `${name} (${ids === '' ? 'no id' : ids})`));
  addTool(server, {
    name: 'get',
    title: 'Get a resource',
    description: `Gets one resource by its id; invoices have their lines. Resources: ${described.join('; ')}.`,
    input: {
      resource: z.enum([...singles.keys()]),
      id: z.string().optional().describe('Several ids are separated by slashes'),
      page,
    },
    output: {
      data,
      cut: z.string().nullable().describe('Name of the list in the data that was cut'),
      nextPage,
      isShortened,
    },
    isReading: true,
    run: async ({ resource: name, id, page: given }, call) => {
      const answer = await read(singlePath(find(singles, name), id), call);
      return singleResult(answer, readPosition(given));
    },
  });
}

function addUsage(server: McpServer, read: Read): void {
  addTool(server, {
    name: 'usage',
    title: 'Usage of a customer',
    description: 'Shows the usage and the credits of a customer by meter.',
    input: { customerId: z.string(), page },
    output: {
      state: data,
      credits: z.array(data),
      total: z.number().nullable(),
      nextPage,
      isShortened,
    },
    isReading: true,
    run: async ({ customerId, page: given }, call) => {
      const position = readPosition(given);
      const id = encodeURIComponent(customerId);
      const query = `?perPage=100&page=${String(position.page)}`;
      const [state, credits] = await Promise.all([
        read(`/v1/customers/${id}/state`, call),
        read(`/v1/customers/${id}/meter-credits${query}`, call),
      ]);
      return usageResult(state, pageOf(credits), position);
    },
  });
}

function addEvents(server: McpServer, read: Read): void {
  addTool(server, {
    name: 'events',
    title: 'Events',
    description:
      'Shows events in the order of the feed, from the oldest kept, or after a cursor. Each is as webhooks carry it.',
    input: {
      after: z.string().optional().describe('`nextPage` of the result before, or 0'),
      types: z
        .union([z.string(), z.array(z.string())])
        .optional()
        .describe('Such as invoice.paid or invoice.*, several separated by commas'),
    },
    output: { data: z.array(data), nextAfter: z.string(), nextPage, isShortened },
    isReading: true,
    run: async ({ after, types }, call) => {
      const query = new URLSearchParams();
      if (after !== undefined) query.set('after', after);
      if (types !== undefined) query.set('types', [types].flat().join(','));
      const answer = await read(`/v1/webhook-events?${query.toString()}`, call);
      return eventsResult(answer as FeedPage);
    },
  });
}
