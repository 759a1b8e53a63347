import { Customer as ProtoCustomer } from '@billing/proto/billing/customer/v1/customer';

/** Encodes the customer for the services that erase it. */
export function encodeCustomer(customer: ProtoCustomer): string {
  return JSON.stringify(ProtoCustomer.toJSON(customer));
}

export function decodeCustomer(text: string): ProtoCustomer {
  return ProtoCustomer.fromJSON(JSON.parse(text));
}
