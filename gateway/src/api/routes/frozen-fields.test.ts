import { z } from 'zod';
import { routes } from '../routes';

/** Fields of a resource that its PATCH would ignore. */
function ignoredFields({ body, answer }: (typeof routes)[number]['operation']): string[] {
  if (!(body instanceof z.ZodObject) || !(answer.schema instanceof z.ZodObject)) return [];
  return Object.keys(answer.schema.shape).filter((name) => !(name in body.shape));
}

const patches = routes.filter(({ method }) => method === 'PATCH');

test.each(patches.map(({ path, operation }) => [path, operation] as const))(
  'PATCH %s changes or refuses each field of its resource',
  (_path, operation) => {
    expect(ignoredFields(operation)).toEqual([]);
  },
);
