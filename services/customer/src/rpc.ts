import type { Stored } from '@billing/chassis/aggregate';
import { type CallContext, newResourceId } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import {
  checkMetadata,
  filterByIds,
  readPage,
  expectedVersionOf,
  maskedFields,
} from '@billing/chassis/request-fields';
import { rpcService } from '@billing/chassis/rpc';
import { invalidInput } from '@billing/kernel/domain-error';
import { refuseProblems } from '@billing/kernel/input-problems';
import {
  type Address as ProtoAddress,
  type CreateCustomerRequest,
  type Customer as ProtoCustomer,
  type TaxId as ProtoTaxId,
  type CustomerServiceServer,
  CustomerServiceService,
  type UpdateCustomerRequest,
} from '@billing/proto/billing/customer/v1/customer';
import { collectionMethods, taxExempts, taxIdTypes } from '@billing/proto/values/customer';
import type { Address } from '@billing/kernel/input/address';
import { type CustomerText, forCustomerTexts } from '@billing/kernel/input/customer';
import type { TaxId } from '@billing/kernel/tax/tax-id';
import { customerCallers } from './callers';
import type { CustomerNameStore } from './customer-name-store';
import {
  changeCustomer,
  createCustomer,
  fillCustomer,
  fixCurrency,
  type Customer,
  type CustomerChanges,
  type CustomerInput,
  textsOf,
} from './customer';
import type { Customers } from './customer-store';
import { encodeCustomer } from './customer-message';
import { eraseCustomer, refuseObligations } from './erasure';
import { ensureForgotten } from './ensure-forgotten';
import { fetchObligations, type Peers } from './peers';
import { customersWith } from './store';

// Ids of one call, as customer.proto says.
const idsMax = 100;
const namesMax = 1000;

export interface CustomerDependencies {
  readonly customers: Customers;
  readonly names: CustomerNameStore;
  readonly peers: Pick<Peers, 'obligations' | 'subscription'>;
  readonly clock: Clock;
}

/** gRPC handlers of the service. */
export function customerRpc({ customers, names, peers, clock }: CustomerDependencies) {
  const changeStored = async (
    { id, expectedVersion }: { readonly id: string; readonly expectedVersion?: bigint | undefined },
    change: (customer: Customer) => Customer,
    context: CallContext,
  ) => {
    const expected = expectedVersionOf({ expectedVersion });
    const stored = await customers.change(id, change, context, expected);
    return { customer: toProtoCustomer(stored) };
  };
  return rpcService<CustomerServiceServer>(
    CustomerServiceService,
    {
      createCustomer: async (request, context) => {
        const customer = createCustomer(fromProtoCustomerInput(request), {
          id: newResourceId(context, 'customer'),
          metadataProblems: checkMetadata(request.metadata),
        });
        const { externalId } = customer;
        if (externalId !== null) await ensureForgotten(externalId, context, { names, clock });
        const stored = await customers.insert(customer, context);
        return { customer: toProtoCustomer(stored) };
      },

      getCustomer: async ({ id }, context) => ({
        customer: toProtoCustomer(await customers.get(id, context)),
      }),

      getCustomers: async ({ ids }, context) => {
        refuseProblems({
          ids: ids.length > idsMax ? [`Must have at most ${String(idsMax)} elements`] : [],
        });
        const found = await customers.findAll(ids, context);
        return { customers: found.map(toProtoCustomer) };
      },

      identifyCustomers: async ({ ids, externalIds }, context) => {
        const isTooMany = ids.length + externalIds.length > namesMax;
        refuseProblems({
          ids: isTooMany ? [`Must have at most ${String(namesMax)} elements with externalIds`] : [],
        });
        return names.identify(context.tenant, { ids, externalIds });
      },

      listCustomers: async (request, context) => {
        const filter = { ...customersWith(request), ...filterByIds(request.ids) };
        const { data, total } = await customers.list({ filter, ...readPage(request) }, context);
        return { customers: data.map(toProtoCustomer), total };
      },

      updateCustomer: async (request, context) => {
        const changes = fromProtoCustomerChanges(request);
        const metadataProblems = checkMetadata(changes.metadata);
        const change = (customer: Customer) =>
          changeCustomer(customer, changes, { metadataProblems });
        return changeStored(request, change, context);
      },

      deleteCustomer: async ({ id }, context) => {
        await deleteCustomer(id, context, { customers, names, peers, clock });
        return {};
      },

      fixCurrency: async ({ id, currency }, context) =>
        changeStored({ id }, (customer) => fixCurrency(customer, currency), context),

      fillCustomer: async ({ id, taxId: sent, ...texts }, context) => {
        const taxId = sent === undefined ? undefined : fromProtoTaxId(sent, 0);
        const change = (customer: Customer) => fillCustomer(customer, { ...texts, taxId });
        return changeStored({ id }, change, context);
      },
    },
    { callers: customerCallers },
  );
}

async function deleteCustomer(
  id: string,
  context: CallContext,
  { customers, peers, clock }: CustomerDependencies,
): Promise<void> {
  const stored = await customers.get(id, context);
  refuseObligations(await fetchObligations(peers, id, context));
  await peers.subscription.billEndedSubscriptions({ customerId: id }, context);
  // The last bills may have left something to pay.
  refuseObligations(await fetchObligations(peers, id, context));
  const erase = (customer: Customer) => {
    const encoded = encodeCustomer(toProtoCustomer({ ...stored, state: customer }));
    return eraseCustomer(customer, { realNow: clock.now(), encoded });
  };
  await customers.decide(id, erase, context);
}

// A message without one of the texts fails to compile in the conversions below.
function fromProtoCustomerInput(request: CreateCustomerRequest): CustomerInput {
  return {
    ...(request satisfies Pick<CreateCustomerRequest, CustomerText>),
    collectionMethod: collectionMethods.sentName(request.collectionMethod),
    taxIds: request.taxIds.map(fromProtoTaxId),
    taxExempt: taxExempts.sentName(request.taxExempt),
  };
}

function fromProtoCustomerChanges(request: UpdateCustomerRequest): CustomerChanges {
  const { email, address, currency, collectionMethod, metadata } = request;
  const fields = {
    email: email ?? null,
    ...textsOf(request satisfies Pick<UpdateCustomerRequest, CustomerText>),
    address: address ?? null,
    currency: currency ?? null,
    collectionMethod: collectionMethods.sentName(collectionMethod) ?? null,
    taxIds: request.taxIds.map(fromProtoTaxId),
    taxExempt: taxExempts.sentName(request.taxExempt) ?? null,
    netDays: request.netDays ?? null,
    locale: request.locale ?? null,
    metadata: metadata ?? null,
  };
  return maskedFields(fields, request.updateMask);
}

function fromProtoTaxId({ type, value }: ProtoTaxId, index: number): TaxId {
  const known = taxIdTypes.knownName(type);
  if (known === undefined) throw invalidInput({ taxIds: [`${String(index)}.type: Required`] });
  return { type: known, value };
}

/** Customer as its callers see it. */
export function toProtoCustomer({ state, ...stored }: Stored<Customer>): ProtoCustomer {
  const texts: Pick<ProtoCustomer, CustomerText> = forCustomerTexts(
    (name) => state[name] ?? undefined,
  );
  return {
    id: state.id,
    organizationId: stored.tenant.organizationId,
    externalId: state.externalId ?? undefined,
    email: state.email,
    ...texts,
    address: state.address === null ? undefined : toProtoAddress(state.address),
    currency: state.currency,
    currencyFixed: state.isCurrencyFixed,
    collectionMethod: collectionMethods.valueOf(state.collectionMethod),
    taxIds: state.taxIds.map(({ type, value }) => ({ type: taxIdTypes.valueOf(type), value })),
    taxExempt: taxExempts.valueOf(state.taxExempt),
    netDays: state.netDays ?? undefined,
    locale: state.locale ?? undefined,
    metadata: state.metadata,
    createdAt: stored.createdAt,
    updatedAt: stored.updatedAt,
    version: BigInt(stored.version),
  };
}

function toProtoAddress(address: Address): ProtoAddress {
  return {
    line1: address.line1 ?? undefined,
    line2: address.line2 ?? undefined,
    city: address.city ?? undefined,
    state: address.state ?? undefined,
    postalCode: address.postalCode ?? undefined,
    country: address.country ?? undefined,
  };
}
