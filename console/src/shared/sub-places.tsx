import { useParams, useRouter, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import de from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/shared.json';
import { useMay } from '../app/permissions.ts';
import { words } from '../app/words.ts';
import { PlaceLink } from './links.tsx';

const t = words({ en, de });

export interface SubPlace {
  readonly path: string;
  readonly label: string;
  /** Something was typed there and is not saved. */
  readonly isUnsaved?: boolean;
}

/**
 * The pages of a place, each on its own address; those that the visitor may open, by what their routes ask. On narrow screens
 * they scroll, and the current one is in sight.
 */
export function SubPlaces({
  label,
  places,
}: {
  readonly label: string;
  readonly places: readonly SubPlace[];
}) {
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const at = pathname.replace(/^\/console/, '').replace(/\/$/, '');
  const router = useRouter();
  const { org = '' } = useParams({ strict: false });
  const may = useMay(org);
  const theirs = places.filter(({ path }) => {
    const asked = router.getMatchedRoutes(path)[2]?.options.staticData?.permission;
    return asked === undefined || may(asked);
  });
  const current = [...theirs]
    .sort((a, b) => b.path.length - a.path.length)
    .find(({ path }) => at === path || at.startsWith(`${path}/`));
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    const link = nav.current?.querySelector<HTMLElement>('[aria-current]');
    if (nav.current !== null && link) nav.current.scrollLeft = link.offsetLeft - 16;
  }, [current?.path]);
  return (
    <nav aria-label={label} className="sub-places" ref={nav}>
      {theirs.map((place) => (
        <PlaceLink
          key={place.path}
          to={place.path}
          label={place.label}
          {...(place.isUnsaved === true && { rightSection: <Unsaved /> })}
          active={place === current}
          activeOptions={{ exact: true }}
          {...(place === current && { 'aria-current': 'page' as const })}
        />
      ))}
    </nav>
  );
}

function Unsaved() {
  return (
    <span className="unsaved-dot">
      <span>{t.form.unsavedHere}</span>
    </span>
  );
}
