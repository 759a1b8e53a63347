import { refuseUnnamedCaller, servicesOfCertificate } from './callers';
import { createLogger } from '../telemetry/logging';

const logger = createLogger({ service: 'test', level: 'silent' });

test.each([
  ['the name of a service', 'DNS:billing-gateway', ['gateway']],
  ['a name within a cluster', 'DNS:billing-gateway.billing.svc', ['gateway']],
  [
    'several names',
    'DNS:localhost, DNS:billing-gateway, DNS:billing-identity',
    ['gateway', 'identity'],
  ],
  ['another name', 'DNS:gateway', []],
  ['a name below another domain', 'DNS:example.billing-gateway', []],
  ['a wildcard', 'DNS:*.billing.svc', []],
  ['an address', 'IP Address:127.0.0.1', []],
  ['a name that is no DNS name', 'URI:billing-gateway', []],
  ['a value that holds a separator', 'URI:"x, DNS:billing-gateway, y"', []],
  ['no name', undefined, []],
])('the services of a certificate for %s: %s', (_case, names, services) => {
  expect(servicesOfCertificate(names)).toEqual(services);
});

function callFrom(subjectaltname: string | undefined) {
  const sslPeerCertificate = { subjectaltname } as never;
  return {
    getAuthContext: () =>
      subjectaltname === undefined ? {} : { transportSecurityType: 'ssl', sslPeerCertificate },
  };
}

test.each([
  ['DNS:billing-gateway', ['gateway', 'checkout'], true],
  ['DNS:billing-catalog', ['gateway', 'checkout'], false],
  ['DNS:billing-gateway', [], false],
  [undefined, ['gateway'], false],
])('a caller with the certificate %s may call methods for %j: %s', (names, callers, isAllowed) => {
  const ask = () => {
    refuseUnnamedCaller(callFrom(names), { path: '/a/B', callers, logger });
  };
  if (isAllowed) expect(ask).not.toThrow();
  else expect(ask).toThrow(expect.objectContaining({ kind: 'permission' }));
});
