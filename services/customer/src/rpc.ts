import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { newId } from '@billing/chassis/ids';
import { checkMetadata } from '@billing/chassis/metadata';
import { rpcService } from '@billing/chassis/rpc';
import {
  type Address as ProtoAddress,
  CollectionMethod as ProtoCollectionMethod,
  type CreateCustomerRequest,
  type Customer as ProtoCustomer,
  type CustomerServiceServer,
  CustomerServiceService,
} from '@billing/proto/billing/customer/v1/customer';
import type { Address } from './address';
import {
  type CollectionMethod,
  createCustomer,
  type Customer,
  type CustomerInput,
} from './customer';

/** The service's calls, on its customers. */
export function customerRpc(customers: AggregateCollection<Customer>) {
  return rpcService<CustomerServiceServer>(CustomerServiceService, {
    createCustomer: async (request, context) => {
      const customer = createCustomer(fromProtoCustomerInput(request), {
        id: newId(),
        metadataProblems: checkMetadata(request.metadata),
      });
      const { stored } = await customers
        .within(context)
        .insert({ state: customer, events: [], commands: [] });
      return { customer: toProtoCustomer(stored) };
    },

    getCustomer: async ({ id }, context) => ({
      customer: toProtoCustomer(await customers.within(context).get(id)),
    }),
  });
}

const protoCollectionMethods: Readonly<Record<CollectionMethod, ProtoCollectionMethod>> = {
  CHARGE_AUTOMATICALLY: ProtoCollectionMethod.COLLECTION_METHOD_CHARGE_AUTOMATICALLY,
  SEND_INVOICE: ProtoCollectionMethod.COLLECTION_METHOD_SEND_INVOICE,
};

function fromProtoCustomerInput(request: CreateCustomerRequest): CustomerInput {
  return { ...request, collectionMethod: fromProtoCollectionMethod(request.collectionMethod) };
}

function fromProtoCollectionMethod(sent: ProtoCollectionMethod): CustomerInput['collectionMethod'] {
  if (sent === ProtoCollectionMethod.COLLECTION_METHOD_UNSPECIFIED) return undefined;
  const methods = Object.keys(protoCollectionMethods) as CollectionMethod[];
  return methods.find((method) => protoCollectionMethods[method] === sent) ?? 'UNKNOWN';
}

function toProtoCustomer({ state, ...stored }: Stored<Customer>): ProtoCustomer {
  return {
    id: state.id,
    organizationId: stored.tenant.organizationId,
    externalId: state.externalId ?? undefined,
    email: state.email,
    name: state.name ?? undefined,
    phone: state.phone ?? undefined,
    address: state.address === null ? undefined : toProtoAddress(state.address),
    currency: state.currency,
    collectionMethod: protoCollectionMethods[state.collectionMethod],
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
