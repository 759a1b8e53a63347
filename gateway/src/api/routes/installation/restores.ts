import { RestoreJson, toJsonRestore } from '@billing/proto/json/restore';
import { z } from 'zod';
import { listOf } from '../../schemas/list';
import { listShape, readQuery } from '../../input/input';
import { listQuery, page } from '../../input/list';
import type { Route } from '../route';

const ListRestores = z.object(listShape);

export const restoreRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/restores',
    operation: {
      id: 'listRestores',
      summary: 'List restores, newest first',
      description:
        'Restores of the whole installation from a backup: the same in each environment. What was written between `instant` and `at` is lost, usage events among it.',
      query: ListRestores,
      answer: { status: 200, schema: listOf(RestoreJson, 'RestoreList') },
    },
    handle: async (request, peers) => {
      const query = readQuery(ListRestores, request);
      const { restores, total } = await peers.identity.listRestores(
        listQuery(query),
        request.context,
      );
      return page(restores, { ...query, total }, toJsonRestore);
    },
  },
];
