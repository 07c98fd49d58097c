/* One series as something to look at: bodies, joints, springs and arrows, placed for a time. */

import { Group, MeshLambertMaterial, Vector3 } from 'three';
import { Arrows } from './arrows';
import { type Build, levels, upOf } from './build';
import type { Blocks, Scene, Vector, Wish } from './data';
import { type Extent, depth } from './extent';
import { addJoint } from './joints';
import { type Motion, placements, transform } from './motion';
import { REACTION, VELOCITY } from './palette';
import { Parts } from './parts';
import { addBody, addShape } from './shapes';
import { Springs } from './springs';
import { Trace } from './traces';
import { addTransmissions } from './transmissions';

export class Mechanism {
  readonly group = new Group();
  readonly pose: Float64Array;
  readonly places: Float64Array;
  readonly reactions: Arrows | null = null;
  readonly velocities: Arrows | null = null;
  readonly traces: Trace[] = [];
  readonly parts: Parts;
  readonly raise: number;
  private readonly springs: Springs;
  private readonly bodies: number;

  /* rank: 0 for the first of several series in one scene; where they coincide it is the one that is seen. */
  constructor(readonly scene: Scene, readonly motion: Motion, blocks: Blocks, readonly extent: Extent, tint: string | null, rank: number) {
    this.bodies = scene.bodies.length;
    this.pose = new Float64Array(7 * this.bodies);
    this.places = new Float64Array(12 * (this.bodies + 1));
    const material = look(rank, false);
    material.userData.pieces = look(rank, true);
    this.parts = new Parts(this.bodies, material);
    const build = this.prepare(blocks, tint, rank);
    this.raise = build.planar ? build.front + extent.unit : 0;
    scene.bodies.forEach((_, i) => addBody(build, i));
    for (const joint of scene.joints) addJoint(build, joint);
    addTransmissions(build);
    if (build.statics) for (const shape of scene.ground.shapes) addShape(build, shape, -1);
    this.springs = new Springs(build);
    this.parts.finish();
    this.group.add(...Object.values(this.parts.groups), this.springs.group);
    const { reactions, velocities } = motion.series;
    if (reactions != null && scene.joints.length) {
      const feet = scene.joints.map((joint) => joint.sides[1] ?? joint.sides[0] ?? { body: -1, at: [0, 0, 0] as Vector });
      this.reactions = new Arrows(blocks, reactions, 6, feet, this.bodies, extent, this.raise, material, tint ?? REACTION);
      this.group.add(this.reactions.group);
    }
    if (velocities != null && this.bodies) {
      const feet = scene.bodies.map((body, i) => ({ body: i, at: body.center }));
      this.velocities = new Arrows(blocks, velocities, 3, feet, this.bodies, extent, this.raise, material, tint ?? VELOCITY);
      this.group.add(this.velocities.group);
    }
  }

  private prepare(blocks: Blocks, tint: string | null, rank: number): Build {
    const { scene, extent } = this;
    const planar = scene.space === 'planar';
    const heights = planar ? levels(scene) : [];
    const thickness = 0.7 * extent.unit;
    const most = Math.max(0, ...heights), stack = ((most + 1) / 2) * 1.04 * thickness;
    return {
      scene, blocks, extent, motion: this.motion, parts: this.parts, planar, up: upOf(scene), tint, statics: rank === 0, feet: [], thickness,
      level: heights.map((k) => (k - most / 2) * 1.04 * thickness),
      stack, front: Math.max(stack, Math.min(0.2 * extent.size, planar ? 1.02 * depth(scene) : 0)),
    };
  }

  /* Bodies that the model wants hidden or transparent. */
  grant(view: Wish): void {
    for (const body of view.transparent) if (body >= 0) this.parts.look(body, 'transparent');
    for (const body of view.hidden)
      if (body >= 0) this.parts.look(body, 'hidden');
      else this.parts.groups.ground.visible = false;
  }

  update(t: number): void {
    this.motion.sample(t, this.pose);
    placements(this.pose, this.bodies, this.extent.origin, this.places);
    this.parts.update(this.places);
    this.springs.update(this.places);
    this.reactions?.update(this.motion, t, this.places);
    this.velocities?.update(this.motion, t, this.places);
    for (const trace of this.traces) trace.update(t);
  }

  /* A point of a body, now, in the coordinates of the scene. */
  locate(body: number, at: ArrayLike<number>, out: Vector3): Vector3 {
    transform(this.places, body, this.bodies, at, out);
    return out;
  }

  trace(body: number, at: Vector, label: string, color: string): void {
    const trace = new Trace(this.motion, body, at, label, color, this.extent.origin, this.raise);
    this.traces.push(trace);
    this.group.add(trace.group);
  }

  clearTraces(): void {
    for (const trace of this.traces) this.group.remove(trace.group);
    this.traces.length = 0;
  }

  dispose(): void {
    this.parts.dispose();
    this.springs.dispose();
  }
}

function look(rank: number, vertexColors: boolean): MeshLambertMaterial {
  return new MeshLambertMaterial({ vertexColors, polygonOffset: rank > 0, polygonOffsetFactor: 2 * rank, polygonOffsetUnits: 4 * rank, side: vertexColors ? 2 : 0 });
}
