import { networkOf } from './admission';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '20010db800010002'],
  ['2001:db8:1:2::1', '20010db800010002'],
  ['2001:db8:1:3::1', '20010db800010003'],
  ['::1', '0000000000000000'],
  ['unknown', ''],
  [undefined, ''],
])('the address %s counts as %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
