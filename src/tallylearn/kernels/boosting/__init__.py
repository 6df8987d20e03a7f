"""Gradient boosting: loss gradients in fixed point, and trees grown leaf by leaf from them.

loss_gradients      gradients and Hessians of the losses, rounded to integers; exp and log
leafwise_grower     a regression tree of the gradients, the leaf of the largest gain first
binned_predict      the sum of such trees for rows given as bins
"""
