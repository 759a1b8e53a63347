import { stepAt, codeOfStep } from '../second-factor/totp';
import { fromBase32 } from '../second-factor/base32';
import { aNetwork, context, OperatorTests, originAt, password } from './operators';

export type Person = Awaited<ReturnType<OperatorTests['accept']>>;

/** Calls of operators with second factors. */
export class SecondFactorTests extends OperatorTests {
  /**
   * An app with the operator's secret. Confirmations use the code of the present step, sign-ins
   * that of the next one: it is valid already, and later than the one before, whenever a step ends.
   */
  private appOf(secret: string) {
    return (ahead = 1) => codeOfStep(fromBase32(secret), stepAt(this.clock.now()) + ahead);
  }

  begin = async ({ token }: Person) => {
    const { secret } = await this.peer.beginSecondFactor({ sessionToken: token }, context());
    return this.appOf(secret);
  };

  confirm = async ({ token }: Person, code: string) => {
    const request = { sessionToken: token, code };
    return (await this.peer.confirmSecondFactor(request, context())).recoveryCodes;
  };

  withFactor = async (person: Person) => {
    const code = await this.begin(person);
    const used = code(0);
    return { code, used, recoveryCodes: await this.confirm(person, used) };
  };

  anOwnerWithFactor = async () => {
    const { owner, ...rest } = await this.anOwner();
    return { owner, ...rest, ...(await this.withFactor(owner)) };
  };

  signIn = ({ email }: Person, code?: string, network = aNetwork()) =>
    this.logIn(email, password, network, code === undefined ? {} : { code });

  /** Signs in by an identity provider. */
  vouch = ({ email }: Pick<Person, 'email'>) =>
    this.peer.logInByProvider(
      { email, issuer: 'https://id.example', subject: email, origin: originAt('home') },
      context(),
    );

  entriesOf = async ({ token }: Person) => {
    const filter = { actorId: undefined, targetIds: [], since: undefined, until: undefined };
    const request = { sessionToken: token, ...filter, page: 1, perPage: 20 };
    return (await this.peer.listAuditEntries(request, context())).entries;
  };
}
