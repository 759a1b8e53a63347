import { DomainError } from '@billing/kernel/domain-error';
import { CollectionMethod, TaxExempt } from '@billing/proto/billing/customer/v1/customer';
import type { Peers } from '../peer/peers';
import { toProtoTaxIds } from '../api/input/party';
import { type ApiAnswer, present } from '../http/answer';
import { readAddress, readTexts, withAddressProblems } from '../pages/frame/address-fields';
import { pageAnswer, redirectAnswer } from '../pages/frame/shell';
import { detailNames, detailsOf, detailsPage, detailsPath } from './details-page';
import type { PortalRequest, PortalRoute } from './route';
import { doneAt } from './shell';
import { readTaxIds, taxIdsOf, withTaxIdProblems } from './tax-id-fields';

const mask = ['name', 'email', 'phone', 'locale', 'address'];

export const detailsRoutes: readonly PortalRoute[] = [
  {
    method: 'GET',
    path: detailsPath,
    handle: async ({ visit, context, query }, peers) => {
      const { customer } = await peers.customer.getCustomer({ id: visit.customerId }, context);
      const typed = detailsOf(present(customer));
      return pageAnswer(detailsPage(visit, { typed, done: query.done }));
    },
  },
  { method: 'POST', path: detailsPath, handle: saveDetails },
];

async function saveDetails(request: PortalRequest, peers: Peers): Promise<ApiAnswer> {
  const { visit, context, form } = request;
  const typed = readTexts(form, detailNames);
  const given = (name: string) => (typed[name] === '' ? undefined : typed[name]);
  const { customer } = await peers.customer.getCustomer({ id: visit.customerId }, context);
  const taxIds = readTaxIds(typed, taxIdsOf(present(customer)));
  try {
    await peers.customer.updateCustomer(
      {
        id: visit.customerId,
        // A form that was opened at an earlier release has no fields of tax ids.
        updateMask: form.has('taxId') ? [...mask, 'taxIds'] : mask,
        email: given('email'),
        name: given('name'),
        phone: given('phone'),
        locale: given('locale'),
        address: readAddress(typed),
        collectionMethod: CollectionMethod.COLLECTION_METHOD_UNSPECIFIED,
        taxIds: toProtoTaxIds(taxIds),
        taxExempt: TaxExempt.TAX_EXEMPT_UNSPECIFIED,
        metadata: undefined,
      },
      context,
    );
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind !== 'invalid_input') throw error;
    const problems = withTaxIdProblems(withAddressProblems(error.fields ?? {}), typed);
    return pageAnswer(detailsPage(visit, { typed, problems }));
  }
  return redirectAnswer(doneAt(detailsPath, 'details-saved'));
}
