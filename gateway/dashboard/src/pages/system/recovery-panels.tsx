import { Link } from 'wouter';
import type { RecoveryJson, RecoveryReportJson } from '@billing/gateway/operator/recovery';
import { useWorkspace } from '../../api/environment';
import { CopyText } from '../../parts/element/buttons';
import { Panel } from '../../parts/element/layout';
import { Notice } from '../../parts/element/notices';
import { Facts, Instant } from '../../parts/element/values';
import { instantColumn, moneyColumn } from '../../parts/table/columns';
import { type Column, DataTable } from '../../parts/table/data-table';
import { pluralText } from '../../parts/text/text';
import { invariantText, problemCount, resultText, stepText, undone } from './recovery';

type Restore = NonNullable<RecoveryJson['restore']>;
type Finding = NonNullable<RecoveryReportJson['findings']>[number];
type Charge = NonNullable<RecoveryReportJson['unmatchedCharges']>[number];

const findingColumns: readonly Column<Finding>[] = [
  { title: 'Finding', text: ({ invariant }) => invariantText(invariant) },
  { title: 'What was found', text: ({ text }) => text },
];

const chargeColumns: readonly Column<Charge>[] = [
  {
    title: 'Payment',
    text: ({ provider, providerPaymentId }) => `${provider} ${providerPaymentId}`,
  },
  moneyColumn(
    'Amount',
    ({ amount }) => amount,
    ({ currency }) => currency,
  ),
  instantColumn('Charged', ({ createdAt }) => createdAt),
  { title: 'Why', text: ({ finding }) => finding ?? 'It has no invoice' },
];

/** A restore, what its check has found, and what is to be done. */
export function RecoveryPanels({
  recovery,
  report,
}: {
  recovery: RecoveryJson;
  report: RecoveryReportJson | null;
}) {
  const { restore, step } = recovery;
  const isRecovering = recovery.state === 'RECOVERING';
  return (
    <>
      <StateNotice {...{ recovery, report }} />
      {restore !== null && <RestorePanel restore={restore} />}
      {isRecovering && <NextStep isRunning={step !== null} report={report} />}
      {report !== null && <ReportPanel code={restore?.code ?? ''} report={report} />}
      {report !== null && <ProblemPanels report={report} />}
      <UndonePanel instant={restore?.instant} isRecovering={isRecovering} />
    </>
  );
}

function StateNotice({
  recovery: { state, restore, step },
  report,
}: {
  recovery: RecoveryJson;
  report: RecoveryReportJson | null;
}) {
  if (state === 'OPEN') {
    return (
      <Notice tone="wait">
        <p>
          <strong>
            This system was restored to <Instant at={restore?.instant} />.
          </strong>{' '}
          What was written between then and <Instant at={restore?.at} /> is lost, usage events among
          it. Charges that the payment provider knows are recorded on their invoices, or listed
          here.
        </p>
      </Notice>
    );
  }
  return (
    <Notice tone="wait">
      <p>
        <strong>This system is recovering from a restore and is closed.</strong> Calls of the API
        and pages of customers are refused with 503. No charge, webhook or mail is made.{' '}
        {progressText({ restore, step, report })}
      </p>
    </Notice>
  );
}

function progressText({
  restore,
  step,
  report,
}: {
  restore: Restore | null;
  step: string | null;
  report: RecoveryReportJson | null;
}): string {
  if (restore === null) return 'The restore is not complete yet: repeat the restore command.';
  if (step !== null) return `The check runs: ${stepText(step).toLowerCase()}.`;
  if (report === null) return 'It has not been checked yet.';
  return `The check has found ${pluralText(problemCount(report), 'problem')}.`;
}

function RestorePanel({ restore }: { restore: Restore }) {
  const { id, code, at, instant, usageToResend } = restore;
  const { from, until } = usageToResend;
  return (
    <Panel title="Restore">
      <Facts
        facts={[
          ['Code', <code key="code">{code}</code>],
          ['Time of the data', <Instant key="instant" at={instant} />],
          ['Restored at', <Instant key="at" at={at} />],
          [
            'Usage events to send again',
            <span key="usage">
              From <Instant at={from} /> to{' '}
              {until === null ? 'the opening' : <Instant at={until} />}
            </span>,
          ],
          ['Restore ID', <code key="id">{id}</code>],
        ]}
      />
    </Panel>
  );
}

/** What the owner can do while the system is closed. */
function NextStep({
  isRunning,
  report,
}: {
  isRunning: boolean;
  report: RecoveryReportJson | null;
}) {
  if (isRunning) {
    return (
      <Panel title="What to do">
        <p>
          The check runs: this page shows its result. If it was interrupted, start it again on the
          machine of the system. Nothing is lost.
        </p>
        <CopyText text="npm run reconcile" what="Command that checks" />
      </Panel>
    );
  }
  return (
    <Panel title="What to do">
      <p>
        {report === null ? 'Start the check' : 'Correct what was found, and repeat the check'} on
        the machine of the system. Without findings it opens the system.
      </p>
      <CopyText text="npm run reconcile" what="Command that checks" />
      {report !== null && (
        <>
          <p>
            Or open the system despite the findings. The reason stands in the audit log. Charges
            without an invoice are refunded or recorded by hand.
          </p>
          <CopyText
            text={'npm run reconcile -- --open "REASON"'}
            what="Command that opens despite findings"
          />
        </>
      )}
      <p className="faint">
        In a cluster, run the job <code>billing-operations</code> with the argument{' '}
        <code>reconcile</code>.
      </p>
    </Panel>
  );
}

function ReportPanel({ code, report }: { code: string; report: RecoveryReportJson }) {
  const columns: readonly Column<RecoveryReportJson['steps'][number]>[] = [
    { title: 'Step', text: ({ step }) => stepText(step) },
    { title: 'Result', text: (step) => resultText(step, code) },
  ];
  return (
    <Panel title="Last check">
      <DataTable
        caption="Steps of the check"
        columns={columns}
        rows={report.steps}
        rowKey={({ step }) => step}
      />
    </Panel>
  );
}

function ProblemPanels({ report }: { report: RecoveryReportJson }) {
  const { findings, unmatchedCharges } = report;
  if (problemCount(report) === 0) return null;
  if (findings === null || unmatchedCharges === null) {
    return (
      <Panel title="Findings">
        <p>Owners and admins see what was found.</p>
      </Panel>
    );
  }
  const more = problemCount(report) - findings.length - unmatchedCharges.length;
  return (
    <>
      {findings.length > 0 && (
        <Panel title="Findings">
          <DataTable
            caption="Findings"
            columns={findingColumns}
            rows={findings}
            rowKey={({ invariant, text }) => `${invariant} ${text}`}
          />
        </Panel>
      )}
      {unmatchedCharges.length > 0 && (
        <Panel title="Unmatched charges">
          <p>
            The payment provider has taken this money, and no invoice stands for it. Refund it at
            the provider, or create an invoice and record the payment.
          </p>
          <DataTable
            caption="Unmatched charges"
            columns={chargeColumns}
            rows={unmatchedCharges}
            rowKey={({ provider, providerPaymentId }) => `${provider} ${providerPaymentId}`}
          />
        </Panel>
      )}
      {more > 0 && <p className="faint">{pluralText(more, 'more problem')} not listed here.</p>}
    </>
  );
}

function UndonePanel({
  instant,
  isRecovering,
}: {
  instant: string | undefined;
  isRecovering: boolean;
}) {
  const { operator } = useWorkspace().session;
  const isOwner = operator.role === 'OWNER';
  return (
    <Panel title="Do again">
      <p>
        The restore has undone what was withdrawn after <Instant at={instant} />.{' '}
        {isRecovering ? 'After the opening' : 'Now'}
        {isOwner ? ', do it again:' : ', an owner does it again:'}
      </p>
      <ul className="bullets">
        {undone.map(({ text, href }) => (
          <li key={href}>{isRecovering ? text : <Link href={href}>{text}</Link>}</li>
        ))}
      </ul>
      <p className="faint">
        With <code>AUDIT_LOG=stdout</code> the logs of identity list what was withdrawn.
      </p>
    </Panel>
  );
}
