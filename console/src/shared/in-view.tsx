import { Box } from '@mantine/core';
import { useEffect, useRef, useState, type ReactNode } from 'react';

/** So far below what is seen it is begun: it is there when somebody comes to it. */
const AHEAD = '200px';

interface InViewProperties {
  /** About as high as what comes, so that nothing below it moves. */
  readonly height: number;
  readonly children: ReactNode;
}

/** What is heavy, and not drawn or loaded before somebody comes near it. */
export function InView({ height, children }: InViewProperties) {
  const place = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    if (place.current === null) return undefined;
    const seen = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true);
      },
      { rootMargin: AHEAD },
    );
    seen.observe(place.current);
    return () => seen.disconnect();
  }, []);
  if (isNear) return children;
  return <Box ref={place} mih={height} data-to-come />;
}
