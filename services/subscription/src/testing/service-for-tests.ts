import { aProtoCustomer } from './customer-facts';
import { type ServiceUnderTest, startServiceUnderTest } from './service-under-test';

/**
 * The service that the tests of a file share, with peers that have received nothing and work as
 * usual before each test. `prepare` adds what the peers know for all tests.
 */
export function serviceForTests(
  prepare: (peers: ServiceUnderTest['peers']) => void = () => undefined,
  clock?: Parameters<typeof startServiceUnderTest>[0],
): ServiceUnderTest {
  const under = {} as ServiceUnderTest;
  beforeAll(async () => {
    Object.assign(under, await startServiceUnderTest(clock));
    prepare(under.peers);
  });
  beforeEach(() => {
    forget(under.peers);
  });
  afterAll(() => under.stop());
  return under;
}

function forget(peers: ServiceUnderTest['peers']): void {
  const { invoices, voids, authorizations, endings, creditNotes, freed } = peers;
  const { reservations, confirmations, releases, credits, metering } = peers;
  const received = [invoices, voids, authorizations, endings, creditNotes, freed, credits.made];
  for (const calls of [...received, reservations, confirmations, releases]) calls.splice(0);
  for (const calls of [metering.settlements, metering.quotes]) calls.splice(0);
  for (const known of [peers.paid, peers.lostRedemptions, peers.billedCurrencies]) known.clear();
  peers.customers.set('customer', aProtoCustomer());
  metering.usageOf = () => '0';
  credits.isAnswerLost = false;
  Object.assign(peers, {
    ...{ isCollecting: false, isCheckoutDown: false, isInvoicingDown: false },
    ...{ isPaymentRunning: false, isReservedByAnother: false, isVoidBroken: false },
    ...{ isCustomerDown: false, quotedTaxPercent: 0n, changeInvoices: 'OPEN' },
    onInvoiceRead: () => Promise.resolve(),
    onReservation: () => Promise.resolve(),
  });
}
