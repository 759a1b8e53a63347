import { rpcService } from '@billing/chassis/rpc';
import { notFound } from '@billing/kernel/domain-error';
import {
  HostedPageKind as ProtoHostedPageKind,
  type HostedPageServiceServer,
  HostedPageServiceService,
} from '@billing/proto/billing/checkout/v1/hosted_page';
import type { HostedPageKind } from './hosted-page';
import type { HostedPageStore } from './hosted-page-store';

const protoKind: Readonly<Record<HostedPageKind, ProtoHostedPageKind>> = {
  CHECKOUT_SESSION: ProtoHostedPageKind.HOSTED_PAGE_KIND_CHECKOUT_SESSION,
  CHECKOUT_LINK: ProtoHostedPageKind.HOSTED_PAGE_KIND_CHECKOUT_LINK,
  INVOICE: ProtoHostedPageKind.HOSTED_PAGE_KIND_INVOICE,
};

/** Turns the token of a public page into what it shows and whose that is. */
export function hostedPageRpc(pages: HostedPageStore) {
  return rpcService<HostedPageServiceServer>(
    HostedPageServiceService,
    {
      findHostedPage: async ({ token }) => {
        const page = await pages.find(token);
        if (page === undefined) throw notFound('Page');
        const { kind, resourceId, tenant } = page;
        return { kind: protoKind[kind], resourceId, ...tenant };
      },
    },
    { withoutTenant: ['findHostedPage'] },
  );
}
