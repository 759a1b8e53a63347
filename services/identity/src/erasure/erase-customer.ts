import type { Erasing } from '@billing/chassis/erasure-rpc';
import type { Customer } from '@billing/proto/billing/customer/v1/customer';
import type { AuditStore } from '../audit/audit-store';
import { liveTenant } from '../environment/environment-store';
import type { RequestStore } from '../request-log/request-store';

export interface ErasureDependencies {
  readonly audit: Pick<AuditStore, 'eraseValues'>;
  readonly requests: Pick<RequestStore, 'eraseBodies'>;
}

/** Erases deleted customers from audit entries and logged bodies. Who did what when stays. */
export function erasingLogs({ audit, requests }: ErasureDependencies): Erasing {
  return {
    eraseData: async ({ customerId, customer }, { tenant }) => {
      await audit.eraseValues(liveTenant(tenant.organizationId), customerId);
      const values = customer === undefined ? [] : personalValues(customer);
      await requests.eraseBodies(tenant, [customerId, ...values]);
    },
  };
}

/** Texts of a customer by which a body is recognized. */
function personalValues(customer: Customer): string[] {
  const { email, externalId, name, phone, address, taxIds } = customer;
  const texts = [
    email,
    externalId,
    name,
    phone,
    address?.line1,
    ...taxIds.map(({ value }) => value),
  ];
  return texts.flatMap((text) => (text === undefined || text === '' ? [] : [text]));
}
