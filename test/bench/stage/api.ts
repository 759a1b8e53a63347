import type { StagedSystem } from './stage';

/** Creates a resource in the system's sandbox over REST. */
export async function createResource(
  { gatewayUrl, keys }: Pick<StagedSystem, 'gatewayUrl' | 'keys'>,
  path: string,
  body: object,
): Promise<{ id: string }> {
  const response = await fetch(`${gatewayUrl}/v1${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${keys.testKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status !== 201) throw new Error(`POST ${path}: ${await response.text()}`);
  return (await response.json()) as { id: string };
}
