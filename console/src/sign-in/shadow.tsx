import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { createPortal } from 'react-dom';

interface ShadowProperties {
  /** What it shows, for those who cannot see it: nothing in it can be used. */
  readonly label: string;
  readonly styles: readonly string[];
  readonly children: ReactNode;
}

/**
 * Something with a look of its own, in the middle of the console: neither style sheet reaches the other. The page's policy
 * lets no frame in, and no `style` attribute of foreign markup; sheets that scripts make are allowed.
 */
export function Shadow({ label, styles, children }: ShadowProperties) {
  const host = useRef<HTMLDivElement>(null);
  const [root, setRoot] = useState<ShadowRoot | undefined>(undefined);
  useLayoutEffect(() => {
    if (host.current !== null)
      setRoot(host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' }));
  }, []);
  useEffect(() => {
    if (root === undefined) return;
    root.adoptedStyleSheets = styles.map((text) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      return sheet;
    });
  }, [root, styles]);
  return (
    <div role="img" aria-label={label} className="preview">
      <div ref={host} inert>
        {root !== undefined && createPortal(children, root)}
      </div>
    </div>
  );
}
