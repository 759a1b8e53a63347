import type { StagedSystem } from './stage';

const seller = {
  legalName: 'Ada GmbH',
  address: { line1: 'Hauptstr. 1', city: 'Berlin', postalCode: '10115', country: 'DE' },
  taxIds: [{ type: 'EU_VAT', value: 'DE136695976' }],
  tax: { prices: 'EXCLUDE_TAX', registrations: ['DE', 'EU'] },
};

/** Creates a resource in the system's sandbox over REST. */
export async function createResource<Created extends { id: string } = { id: string }>(
  { gatewayUrl, keys }: Pick<StagedSystem, 'gatewayUrl' | 'keys'>,
  path: string,
  body: object,
): Promise<Created> {
  const response = await fetch(`${gatewayUrl}/v1${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${keys.testKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status !== 201) throw new Error(`POST ${path}: ${await response.text()}`);
  return (await response.json()) as Created;
}

/** The same system, seen by a new sandbox of real time. */
export async function inNewSandbox<System extends Pick<StagedSystem, 'gatewayUrl' | 'keys'>>(
  system: System,
  name: string,
): Promise<System> {
  const { keys } = system;
  const asOwner = { ...system, keys: { ...keys, testKey: keys.liveKey } };
  const { key } = await createResource<{ id: string; key: string }>(asOwner, '/sandboxes', {
    name,
    clock: 'REAL',
  });
  return { ...system, keys: { ...keys, testKey: key } };
}

/** Sets a seller in Germany whose prices are without tax. */
export async function setSeller(system: Pick<StagedSystem, 'gatewayUrl' | 'keys'>): Promise<void> {
  await change(system, '/seller', seller);
}

/**
 * Turns the mails about issued invoices off. Mails have figures of their own: one with its PDF
 * takes ten times the work of a renewal.
 */
export async function withoutInvoiceMails(
  system: Pick<StagedSystem, 'gatewayUrl' | 'keys'>,
): Promise<void> {
  await change(system, '/email-settings', { kinds: { INVOICE_ISSUED: { enabled: false } } });
}

async function change(
  { gatewayUrl, keys }: Pick<StagedSystem, 'gatewayUrl' | 'keys'>,
  path: string,
  body: object,
): Promise<void> {
  const response = await fetch(`${gatewayUrl}/v1${path}`, {
    method: 'PATCH',
    headers: { Authorization: `Bearer ${keys.testKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status !== 200) throw new Error(`PATCH ${path}: ${await response.text()}`);
}
