import type { ComponentChildren } from 'preact';

interface SectionProps {
  /** Unique on the page; a link can point at it. */
  readonly id: string;
  readonly title: string;
  /** One sentence beside the content. */
  readonly about: string;
  readonly children: ComponentChildren;
}

/** A part of a wide page: its name and purpose on the left, its content on the right. */
export function Section({ id, title, about, children }: SectionProps) {
  return (
    <section class="section" id={id} aria-labelledby={`${id}-title`}>
      <div class="section-head">
        <h2 id={`${id}-title`}>{title}</h2>
        <p class="muted">{about}</p>
      </div>
      <div>{children}</div>
    </section>
  );
}
