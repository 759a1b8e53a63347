import { testContext } from '@billing/chassis/testing';
import { aDiscount } from '../testing/fixtures';
import { settleRedemption } from './discount';

const discount = { ...aDiscount({ id: 'discount' }), firstPeriodStart: null, holderId: 'holder' };
const wanted = { product: null, quantity: null, discount: { next: discount } };

test.each(['APPLIED', 'CANCELED'] as const)(
  'the redemption of a change that is %s is left to the discount service while that is down',
  async (status) => {
    let asked = 0;
    let warned = 0;
    const down = () => {
      asked += 1;
      return Promise.reject(new Error('down'));
    };
    const peers = { discount: { confirmRedemption: down, releaseRedemption: down } };
    const warn = () => {
      warned += 1;
    };
    const dependencies = { peers, logger: { warn, error: warn } } as unknown;
    await settleRedemption(
      { status, wanted },
      testContext(),
      dependencies as Parameters<typeof settleRedemption>[2],
    );
    expect({ asked, warned }).toEqual({ asked: 1, warned: 1 });
  },
);
