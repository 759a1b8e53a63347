import { DomainError, invalidInput, notFound, unlessNotFound } from './domain-error';

describe('a domain error', () => {
  test('carries kind, reason, message, fields and cause', () => {
    const cause = new Error('E11000');
    const error = new DomainError('already_exists', 'CODE_TAKEN', 'Taken', {
      fields: { code: ['Taken'] },
      cause,
    });

    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: 'DomainError',
      kind: 'already_exists',
      reason: 'CODE_TAKEN',
      message: 'Taken',
      fields: { code: ['Taken'] },
    });
    expect(error.cause).toBe(cause);
  });

  test('has no fields and no cause unless they are given', () => {
    const error = new DomainError('stale', 'STALE_VERSION', 'Stale version');
    expect(error.fields).toBeUndefined();
    expect(error).not.toHaveProperty('cause');
  });

  test('of invalid input lists its fields', () => {
    expect(invalidInput({ email: ['Invalid email'] })).toMatchObject({
      kind: 'invalid_input',
      reason: 'INVALID_REQUEST',
      fields: { email: ['Invalid email'] },
    });
  });

  test.each([
    ['Customer', 'CUSTOMER_NOT_FOUND', 'Customer not found'],
    ['Webhook endpoint', 'WEBHOOK_ENDPOINT_NOT_FOUND', 'Webhook endpoint not found'],
    ['API key', 'API_KEY_NOT_FOUND', 'API key not found'],
  ])('names the missing resource %s', (resource, reason, message) => {
    expect(notFound(resource)).toMatchObject({ kind: 'not_found', reason, message });
  });

  test('of a missing resource may be converted to undefined, no other error is', async () => {
    await expect(unlessNotFound(Promise.resolve('here'))).resolves.toBe('here');
    await expect(unlessNotFound(Promise.reject(notFound('Price')))).resolves.toBeUndefined();
    const broken = new Error('broken');
    await expect(unlessNotFound(Promise.reject(broken))).rejects.toBe(broken);
    const stale = new DomainError('stale', 'STALE_VERSION', 'Stale version');
    await expect(unlessNotFound(Promise.reject(stale))).rejects.toBe(stale);
  });
});
