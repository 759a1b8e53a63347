import { z } from 'zod';
import { toJsonProduct } from '@billing/proto/json/product';
import { activeFilter, lookupShape, readQuery } from '../api/input/input';
import { lookupQuery, page } from '../api/input/list';
import { priceFilterShape, toProtoPriceFilter } from './price-filter';
import type { EnvironmentRoute } from './route/route';

const ListProducts = z.object({ ...lookupShape, active: activeFilter, ...priceFilterShape });

/** Products to choose from: the list of the public API with the filters of the search. */
export const productRoutes: readonly EnvironmentRoute[] = [
  {
    method: 'GET',
    path: '/products',
    isOfEnvironment: true,
    handle: async ({ query, context }, { peers }) => {
      const {
        active,
        page: number,
        perPage,
        order,
        ids,
        ...terms
      } = readQuery(ListProducts, {
        query,
      });
      const { products, total } = await peers.catalog.listProducts(
        {
          ...lookupQuery({ page: number, perPage, order, ids }),
          active,
          price: toProtoPriceFilter(terms),
        },
        context,
      );
      return page(products, { page: number, perPage, total }, toJsonProduct);
    },
  },
];
