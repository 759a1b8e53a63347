import { rpcService } from '@billing/chassis/rpc';
import { notFound } from '@billing/kernel/domain-error';
import {
  type HostedPageServiceServer,
  HostedPageServiceService,
} from '@billing/proto/billing/checkout/v1/hosted_page';
import { hostedPageKinds } from '@billing/proto/values/checkout';
import { hostedPageCallers } from '../peer/callers';
import type { HostedPageStore } from './store';

/** Resolves the token of a public page to the resource it shows and its tenant. */
export function hostedPageRpc(pages: HostedPageStore) {
  return rpcService<HostedPageServiceServer>(
    HostedPageServiceService,
    {
      findHostedPage: async ({ token }) => {
        const page = await pages.find(token);
        if (page === undefined) throw notFound('Page');
        const { kind, resourceId, tenant } = page;
        return { kind: hostedPageKinds.valueOf(kind), resourceId, ...tenant };
      },
    },
    { withoutTenant: ['findHostedPage'], callers: hostedPageCallers },
  );
}
