/**
 * Checks Kubernetes objects against the types of their API versions. Reads a JSON array of objects
 * and writes a JSON array of problems. A separate program, because the types are published as ES
 * modules only, which jest does not load.
 */
import { readFileSync, writeSync } from 'node:fs';

const modules = {
  v1: () => import('kubernetes-models/v1'),
  'apps/v1': () => import('kubernetes-models/apps/v1'),
  'autoscaling/v2': () => import('kubernetes-models/autoscaling/v2'),
  'batch/v1': () => import('kubernetes-models/batch/v1'),
  'networking.k8s.io/v1': () => import('kubernetes-models/networking.k8s.io/v1'),
  'policy/v1': () => import('kubernetes-models/policy/v1'),
  'cert-manager.io/v1': () => import('@kubernetes-models/cert-manager/cert-manager.io/v1'),
};

async function problemsOf(object) {
  const models = await modules[object.apiVersion]?.();
  const model = models?.[object.kind];
  if (model?.kind !== object.kind) {
    return [{ path: '', message: `no type is known of ${object.apiVersion} ${object.kind}` }];
  }
  const unread = new Map();
  try {
    model.prototype.validate.call(watched(object, '', unread));
  } catch (error) {
    return (error.errors ?? [{ instancePath: '', message: error.message }]).map(
      ({ instancePath, keyword, message, params }) => ({
        path: instancePath,
        message: message ?? `${keyword} ${JSON.stringify(params)}`,
      }),
    );
  }
  return [...unread.values()].flatMap(({ path, keys }) =>
    [...keys].map((key) => ({ path: `${path}/${key}`, message: 'is no field of its type' })),
  );
}

/**
 * Records the fields that are read. The types accept unknown fields, such as misspelt ones, but
 * they read every field that they know. A field that is never read is therefore unknown.
 */
function watched(value, path, unread) {
  if (value === null || typeof value !== 'object') return value;
  if (!unread.has(value) && !Array.isArray(value)) {
    unread.set(value, { path, keys: new Set(Object.keys(value)) });
  }
  return new Proxy(value, {
    get: (target, key) => {
      unread.get(target)?.keys.delete(key);
      return watched(Reflect.get(target, key), `${path}/${String(key)}`, unread);
    },
  });
}

const objects = JSON.parse(readFileSync(0, 'utf8'));
const found = [];
for (const object of objects) {
  const name = `${object.kind} ${object.metadata?.name}`;
  for (const problem of await problemsOf(object)) found.push({ object: name, ...problem });
}
writeSync(1, JSON.stringify(found));
