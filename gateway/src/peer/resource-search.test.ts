import { DeadlineExceededError } from '@billing/chassis/grpc-status';
import { DomainError, invalidInput } from '@billing/kernel/domain-error';
import { ResultType, SearchResult } from '@billing/proto/billing/search/v1/search';
import { type SearchedService, searchedServices, searchEach } from './resource-search';

const services: readonly SearchedService[] = ['customer', 'checkout', 'catalog'];
const found = (name: SearchedService) => ({
  results: [SearchResult.create({ type: ResultType.RESULT_TYPE_CUSTOMER, id: name })],
});
const down = new DomainError('unavailable', 'PEER_UNAVAILABLE', 'Service unavailable');

describe('a search of several services', () => {
  test('joins their results in their order', async () => {
    const { results, missing } = await searchEach(services, (name) => Promise.resolve(found(name)));
    expect(results.map(({ id }) => id)).toEqual(services);
    expect(missing).toEqual([]);
  });

  test('asks each of them once', async () => {
    const asked: SearchedService[] = [];
    await searchEach(searchedServices, (name) => {
      asked.push(name);
      return Promise.resolve({ results: [] });
    });
    expect(asked).toEqual(searchedServices);
  });

  test.each([
    ['unavailable', down],
    ['overloaded', new DomainError('resource_exhausted', 'OVERLOADED', 'Too many requests')],
    ['too slow', new DeadlineExceededError()],
  ])('names one that is %s, and has the results of the others', async (_case, error) => {
    const { results, missing } = await searchEach(services, (name) =>
      name === 'checkout' ? Promise.reject(error) : Promise.resolve(found(name)),
    );
    expect(results.map(({ id }) => id)).toEqual(['customer', 'catalog']);
    expect(missing).toEqual(['checkout']);
  });

  test('fails if none of them answers, or if one refuses the text', async () => {
    await expect(searchEach(services, () => Promise.reject(down))).rejects.toBe(down);
    const refusal = invalidInput({ text: ['Too long'] });
    const answers = searchEach(services, (name) =>
      name === 'catalog' ? Promise.reject(refusal) : Promise.resolve(found(name)),
    );
    await expect(answers).rejects.toBe(refusal);
  });

  test('of no service finds nothing', async () => {
    const nothing = await searchEach([], () => Promise.reject(down));
    expect(nothing).toEqual({ results: [], missing: [] });
  });
});
