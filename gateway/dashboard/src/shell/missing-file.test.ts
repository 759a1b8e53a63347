import { isMissingFile } from './missing-file';

test.each([
  'Failed to fetch dynamically imported module: https://a.example/dashboard/assets/a.js',
  'error loading dynamically imported module: https://a.example/dashboard/assets/a.js',
  'Importing a module script failed.',
  'Unable to preload CSS for /dashboard/assets/a.css',
])('the error “%s” means that a file is missing', (message) => {
  expect(isMissingFile(new TypeError(message))).toBe(true);
});

test('other errors do not mean that a file is missing', () => {
  expect(isMissingFile(new TypeError('undefined is not a function'))).toBe(false);
});
