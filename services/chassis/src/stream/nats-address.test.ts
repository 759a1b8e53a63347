import { natsAddress } from './nats-address';

describe('the address of NATS', () => {
  test.each([
    ['nats://127.0.0.1:4222', { servers: ['nats://127.0.0.1:4222'] }],
    ['a:1, b:2', { servers: ['a:1', 'b:2'] }],
    ['nats://s3cret@a:1,nats://b:2', { servers: ['nats://a:1', 'nats://b:2'], token: 's3cret' }],
    ['tls://me:p%40ss%3A@a:1', { servers: ['tls://a:1'], user: 'me', pass: 'p@ss:' }],
    ['me:secret@[::1]:4222', { servers: ['[::1]:4222'], user: 'me', pass: 'secret' }],
  ])('%s is parsed', (url, address) => {
    expect(natsAddress(url)).toEqual(address);
  });
});
