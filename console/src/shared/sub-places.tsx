import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { PlaceLink } from './links.tsx';

export interface SubPlace {
  readonly path: string;
  readonly label: string;
}

/** The pages of a place, each on its own address. On narrow screens they scroll, and the current one is in sight. */
export function SubPlaces({
  label,
  places,
}: {
  readonly label: string;
  readonly places: readonly SubPlace[];
}) {
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const at = pathname.replace(/^\/console/, '').replace(/\/$/, '');
  const current = [...places]
    .sort((a, b) => b.path.length - a.path.length)
    .find(({ path }) => at === path || at.startsWith(`${path}/`));
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    const link = nav.current?.querySelector<HTMLElement>('[aria-current]');
    if (nav.current !== null && link) nav.current.scrollLeft = link.offsetLeft - 16;
  }, [current?.path]);
  return (
    <nav aria-label={label} className="sub-places" ref={nav}>
      {places.map((place) => (
        <PlaceLink
          key={place.path}
          to={place.path}
          label={place.label}
          active={place === current}
          activeOptions={{ exact: true }}
          {...(place === current && { 'aria-current': 'page' as const })}
        />
      ))}
    </nav>
  );
}
