/* What moves joints: drives, motors and locks. They are drawn where the joints are that they name; gears and racks: gears.ts. */

import { Quaternion, Vector3 } from 'three';
import { type Build, axisOf, turnTo } from './build';
import type { Joint } from './data';
import { letterOf, rider } from './gears';
import { MOTOR, STEEL } from './palette';

const Z = new Vector3(0, 0, 1);

/* A drive, or a motor: arrows around the axis, or along it. */
function motor(build: Build, joint: Joint): void {
  if (joint.sides.length < 2) return;
  const u = build.extent.unit, side = joint.sides[0].body >= 0 || build.statics ? joint.sides[0] : joint.sides[1];
  const at = new Vector3(...side.at);
  const turns = /R/.test(joint.motion) || !/T/.test(joint.motion);
  const axis = build.planar && turns ? Z.clone() : axisOf(side, letterOf(joint, turns ? 'R' : 'T'));
  if (build.planar) at.z = build.front + 0.5 * u;
  const r = 1.9 * u, { parts } = build;
  if (!turns) {
    const off = build.planar ? new Vector3(-axis.y, axis.x, 0) : new Vector3(0, 0, 1).applyQuaternion(turnTo(axis, build.up));
    const base = at.clone().addScaledVector(off, r);
    parts.rod('joints', side.body, base.clone().addScaledVector(axis, -2 * u), base.clone().addScaledVector(axis, 2 * u), 0.28 * u, MOTOR);
    for (const s of [-1, 1])
      parts.add('joints', 'cone', side.body, base.clone().addScaledVector(axis, 2 * s * u), new Quaternion().setFromUnitVectors(Z, axis.clone().multiplyScalar(s)), new Vector3(0.8 * u, 0.8 * u, 1.3 * u), MOTOR);
    return;
  }
  parts.add('joints', 'ring', side.body, at, new Quaternion().setFromUnitVectors(Z, axis), new Vector3(r, r, 0.9 * r), MOTOR);
  const x = new Vector3(1, 0, 0).applyQuaternion(turnTo(axis, build.planar ? new Vector3(0, 1, 0) : build.up)), frame = turnTo(axis, x);
  for (const angle of [0.5, 0.5 + Math.PI]) {
    const out = new Vector3(0, Math.cos(angle), Math.sin(angle)).applyQuaternion(frame);
    const tangent = new Vector3().crossVectors(axis, out);
    parts.add('joints', 'cone', side.body, at.clone().addScaledVector(out, r).addScaledVector(tangent, -0.5 * u), new Quaternion().setFromUnitVectors(Z, tangent), new Vector3(1.1 * u, 1.1 * u, 1.6 * u), MOTOR);
  }
}

/* Two bars across a joint whose coordinate is locked. */
function lock(build: Build, joint: Joint): void {
  if (joint.sides.length < 2) return;
  const u = build.extent.unit, side = rider(joint), at = new Vector3(...side.at);
  if (build.planar) at.z = build.front + 0.3 * u;
  for (const s of [-1, 1])
    build.parts.add('joints', 'box', side.body, at, turnTo(new Vector3(Math.SQRT1_2, s * Math.SQRT1_2, 0), Z), new Vector3(3.4 * u, 0.5 * u, 0.5 * u), STEEL);
}

export function addTransmissions(build: Build): void {
  const { joints, forces } = build.scene;
  const moved = new Set<number>();
  joints.forEach((joint, i) => {
    if (joint.type === 'driven') joint.joints?.forEach((k) => moved.add(k));
    else if (joint.type === 'lock') joint.joints?.forEach((k) => joints[k] && lock(build, joints[k]));
    if (joint.driven) moved.add(i);
  });
  for (const force of forces) if (force.joint !== undefined && /^(motor|torque|force)$/.test(force.type)) moved.add(force.joint);
  for (const k of moved) if (joints[k]) motor(build, joints[k]);
}
