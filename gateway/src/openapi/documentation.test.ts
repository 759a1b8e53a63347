import { once } from 'node:events';
import fs from 'node:fs';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { systemClock } from '@billing/chassis/clock';
import { createLogger } from '@billing/chassis/logging';
import { addDocumentation } from './documentation';

test('a guide that cannot be read takes no other document with it', async () => {
  const readFile = fs.readFileSync.bind(fs);
  jest.spyOn(fs, 'readFileSync').mockImplementation((path, options) => {
    if (String(path).endsWith('verify-webhooks.md')) throw new Error('missing');
    return readFile(path, options);
  });
  const app = express();
  const logger = createLogger({ service: 'test', level: 'silent' });
  const siteUrl = 'https://pay.example.com';
  addDocumentation(app, [], { clock: systemClock, logger, version: '1.2.3', siteUrl });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const statusOf = async (path: string) =>
    (await fetch(`http://127.0.0.1:${String(port)}${path}`)).status;
  expect(await statusOf('/docs/verify-webhooks')).toBe(500);
  for (const path of ['/openapi.json', '/asyncapi.json', '/docs', '/docs/official-client']) {
    expect(await statusOf(path)).toBe(200);
  }
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
});
