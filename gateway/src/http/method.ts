/** True for methods without side effects. */
export function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Header `Allow` for these methods. GET implies HEAD. */
export function allowed(methods: readonly string[]): string {
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
}
