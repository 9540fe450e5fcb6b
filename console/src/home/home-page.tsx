import { useParams } from '@tanstack/react-router';
import de from '../../../locales/console/de/app.json';
import en from '../../../locales/console/en/app.json';
import { useOwnPermissions } from '../app/permissions.ts';
import { words } from '../app/words.ts';
import { PageHead } from '../shared/page-head.tsx';

const t = words({ en, de });

/** Where one begins. */
export function HomePage() {
  const { org = '' } = useParams({ strict: false });
  const { data } = useOwnPermissions();
  const name = data?.organizations.find(({ id }) => id === org)?.name;
  return (
    <div className="console-page">
      <PageHead title={name ?? t.nav.home} />
    </div>
  );
}
