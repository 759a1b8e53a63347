import { isOlder } from './version';

describe('the order of releases', () => {
  test.each([
    ['0.3.9', '0.4.0', true],
    ['0.4.0', '0.4.0', false],
    ['0.10.0', '0.9.9', false],
    ['0.9.9', '0.10.0', true],
    ['v1.0.0', '1.0.1', true],
    ['0.4.0-rc.1', '0.4.0', false],
    ['development', '0.4.0', false],
    ['0.4.0', 'development', false],
  ])('%s is before %s: %s', (release, other, expected) => {
    expect(isOlder(release, other)).toBe(expected);
  });
});
