import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { CommandFailure, wrongUsage } from '../terminal/failure';
import { type GuidePage, readGuidePages, searchGuides } from './guide-pages';
import { guideResult } from './page';
import { toolResult } from './result';
import { addTool } from './tool';

/** Adds the tools that read the guides; `read` returns their file, or undefined without one. */
export function addGuideTools(
  server: McpServer,
  readFile: () => Promise<string | undefined>,
): void {
  let pages: GuidePage[] | undefined;
  const readPages = async () => {
    if (pages !== undefined) return pages;
    const file = await readFile();
    if (file === undefined) throw new CommandFailure('This server has no guides; update it');
    return (pages = readGuidePages(file));
  };
  addTool(server, {
    name: 'docs_search',
    title: 'Search the guides',
    description: 'Finds sections of the guides by words, and names all pages.',
    input: { query: z.string() },
    output: {
      found: z.array(
        z.object({
          ...{ page: z.string(), title: z.string(), heading: z.string(), excerpt: z.string() },
        }),
      ),
      pages: z.array(z.object({ page: z.string(), title: z.string() })),
    },
    isReading: true,
    run: async ({ query }) => {
      const all = await readPages();
      const named = all.map(({ page, title }) => ({ page, title }));
      return toolResult({ found: searchGuides(all, query), pages: named });
    },
  });
  addTool(server, {
    name: 'docs_read',
    title: 'Read a guide',
    description: 'Returns a guide as Markdown.',
    input: { page: z.string().describe('As docs_search names it') },
    output: {
      page: z.string(),
      title: z.string(),
      text: z.string(),
      isShortened: z.boolean().describe('True if the end of the text was cut'),
    },
    isReading: true,
    run: async ({ page: name }) => {
      const page = (await readPages()).find((one) => one.page === name);
      if (page === undefined) throw wrongUsage(`There is no guide ${name}: see docs_search`);
      return guideResult(page);
    },
  });
}
