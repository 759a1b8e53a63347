import { environmentName, useAtWork } from '../../api/environment';
import { PageLayout, Panel } from '../../parts/layout';
import { Day, Facts } from '../../parts/values';

/** What one looks at first. */
export function HomePage() {
  const { session, environment } = useAtWork();
  return (
    <PageLayout title={session.organization.name}>
      <Panel title="Environment">
        <Facts
          facts={[
            ['Name', environmentName(environment)],
            ['Id', <code key="id">{environment.id}</code>],
            ['Since', <Day key="since" at={environment.createdAt} />],
          ]}
        />
      </Panel>
    </PageLayout>
  );
}
